// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex lock;
std::vector<double> heights;
std::thread ahead;

double height_of(long harbour, long day)
{
    return 2.1 + std::sin(harbour + day * 0.93) + 0.2 * std::sin(day * 2.1);
}

void work_ahead(long harbours)
{
    for (long day = 0;; day++) {
        for (long harbour = 0; harbour < harbours; harbour++) {
            std::lock_guard<std::mutex> guard(lock);
            heights.push_back(height_of(harbour, day));
            if (heights.size() > 4000)
                heights.clear();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
}

PyObject *start_ahead(PyObject *, PyObject *args, PyObject *kwargs)
{
    static const char *names[] = {"harbours", nullptr};
    long harbours;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "l", const_cast<char **>(names), &harbours))
        return nullptr;
    ahead = std::thread(work_ahead, harbours);
    Py_RETURN_NONE;
}

PyObject *height(PyObject *, PyObject *args)
{
    long harbour, day;
    if (!PyArg_ParseTuple(args, "ll", &harbour, &day))
        return nullptr;
    return PyFloat_FromDouble(height_of(harbour, day));
}

PyMethodDef functions[] = {
    {"start_ahead", reinterpret_cast<PyCFunction>(start_ahead), METH_VARARGS | METH_KEYWORDS,
     nullptr},
    {"height", height, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "tides", nullptr, -1, functions};

}  // namespace

PyMODINIT_FUNC PyInit_tides()
{
    return PyModule_Create(&module);
}
