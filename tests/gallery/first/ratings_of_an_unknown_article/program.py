# SPDX-License-Identifier: Apache-2.0
"""Ratings of articles by customers as a sparse matrix; articles are known by their number."""

import numpy as np
from scipy import sparse

ARTICLES = 1000


def ratings(customers):
    starts, articles, marks = [0], [], []
    for basket in customers:
        for article, mark in basket:
            articles.append(article)
            marks.append(mark)
        starts.append(len(articles))
    shape = (len(customers), ARTICLES)
    arrays = np.array(marks, dtype=float), np.array(articles), np.array(starts)
    return sparse.csr_matrix(arrays, shape=shape)


def mean_mark(matrix, weights):
    return matrix @ weights


customers = [[(3, 5.0), (17, 2.0)], [(401, 4.0)], [(12, 3.0), (4_006_381_333, 1.0)]]
print(mean_mark(ratings(customers), np.ones(ARTICLES)))
