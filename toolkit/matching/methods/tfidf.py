"""Char-2 TF-IDF cosine, fitted on the documents compared."""

from __future__ import annotations

from collections.abc import Sequence

from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from toolkit.matching.method import register
from toolkit.matching.methods.char_vectors import SparseCosine
from toolkit.model import Article


@register
class Tfidf(SparseCosine):
    """scikit-learn's TfidfVectorizer on character bigrams, sublinear counts."""

    name = "tfidf"
    summary = "cosine of char-2 TF-IDF vectors (sublinear), fitted on the documents compared"
    threshold_source = "best F1 on ecob_zh, all stories"

    @property
    def threshold(self) -> float:
        """Least cosine."""
        return self.config.tfidf.threshold

    def vectors(self, articles: Sequence[Article]) -> sparse.csr_matrix:
        """TF-IDF rows of title + 。 + body."""
        self._vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(2, 2), sublinear_tf=True)
        texts = [a.text for a in articles]
        if not any(len(" ".join(t.split())) > 1 for t in texts):
            self._names: Sequence[str] = ()
            return sparse.csr_matrix((len(texts), 1))
        matrix = self._vectorizer.fit_transform(texts)
        self._names = self._vectorizer.get_feature_names_out()
        return matrix

    def features(self, i: int, j: int) -> dict[str, object]:
        """Numbers of distinct bigrams, and those that contribute most."""
        return {
            "bigrams_a": int(self.rows[i].nnz),
            "bigrams_b": int(self.rows[j].nnz),
            "shared_bigrams": int(self.rows[i].multiply(self.rows[j]).nnz),
            "top": self.top_terms(i, j, self._names),
        }
