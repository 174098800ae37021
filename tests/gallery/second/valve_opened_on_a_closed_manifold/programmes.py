"""The programmes of a farm, as its owner has written them."""

PROGRAMMES = {
    "tomatoes, early": [
        ("pump", 3),
        ("open", 1),
        ("open", 2),
        ("water", 20),
        ("close", 1),
        ("close", 2),
        ("pump", 0),
    ],
    "melons": [
        ("open", 4),
        ("pump", 2),
        ("water", 35),
        ("close", 4),
        ("pump", 0),
    ],
}
