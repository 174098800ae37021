// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

#include <atomic>
#include <thread>
#include <vector>

namespace ranker {

double similarity(const std::vector<float> &one, const std::vector<float> &other)
{
    double sum = 0;
    for (size_t at = 0; at < one.size(); at++)
        sum += one[at] * other[at];
    return sum;
}

class Index {
public:
    void add(std::vector<float> vector) { vectors_.push_back(std::move(vector)); }

    void search(const std::vector<float> &query, PyObject *out, unsigned threads)
    {
        std::atomic<size_t> next{0};
        std::vector<std::thread> pool;
        for (unsigned n = 0; n < threads; n++)
            pool.emplace_back([&] {
                for (size_t at = next++; at < vectors_.size(); at = next++) {
                    double score = similarity(query, vectors_[at]);
                    if (score > 0.5) {
                        PyObject *match = Py_BuildValue("(nd)", (Py_ssize_t)at, score);
                        PyList_Append(out, match);
                        Py_DECREF(match);
                    }
                }
            });
        for (std::thread &thread : pool)
            thread.join();
    }

private:
    std::vector<std::vector<float>> vectors_;
};

Index index;

std::vector<float> to_vector(PyObject *list)
{
    std::vector<float> vector;
    for (Py_ssize_t at = 0; at < PyList_GET_SIZE(list); at++)
        vector.push_back((float)PyFloat_AsDouble(PyList_GET_ITEM(list, at)));
    return vector;
}

}  // namespace ranker

static PyObject *add(PyObject *, PyObject *list)
{
    ranker::index.add(ranker::to_vector(list));
    Py_RETURN_NONE;
}

static PyObject *search(PyObject *, PyObject *list)
{
    std::vector<float> query = ranker::to_vector(list);
    PyObject *out = PyList_New(0);
    Py_BEGIN_ALLOW_THREADS
    ranker::index.search(query, out, 3);
    Py_END_ALLOW_THREADS
    return out;
}

static PyMethodDef methods[] = {
    {"add", add, METH_O, nullptr},
    {"search", search, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "ranker", nullptr, -1, methods};

PyMODINIT_FUNC PyInit_ranker(void)
{
    return PyModule_Create(&module);
}
