"""`incognote serve`: single notes, batches, streams and files over HTTP.

    app.py        the application: routes, middleware, life cycle
    watch.py      around every request: count, time, log
    service.py    what every endpoint needs
    settings.py   what the service was started with: policies, keys, tokens, limits
    tokens.py     who may ask, with which policy and key
    work.py       the bounded queue, batches across requests
    lane.py       one worker process
    files.py      a whole file, in memory
    shapes.py     requests and answers
    limits.py     bodies and answers: size, time, one shape of error without clinical text
    v1.py         our own endpoints
    presidio.py   Presidio's endpoints, so that its clients work unchanged
    metrics.py    counters for Prometheus
    logs.py       one JSON line a request, without text

No clinical text is written anywhere: not to logs, errors, metrics or files.
"""
