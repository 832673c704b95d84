def render_report(path, summary, errors):
    pass
