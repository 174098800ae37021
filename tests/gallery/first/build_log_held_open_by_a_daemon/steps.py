"""The steps of a build: names and shell commands."""

STEPS = [
    ("checkout", "echo 'HEAD is now at 5f3c1d2 bump version'"),
    ("lint", "echo 'All checks passed!'"),
    # The compile cache starts its server on demand and leaves it running for the next build.
    (
        "compile",
        "echo 'cc -O2 -c main.c'; sleep 3000 & echo 'started cache server'; echo 'cc -o app main.o'",  # noqa: E501
    ),
    ("package", "echo 'app-1.4.tar.gz'"),
]
