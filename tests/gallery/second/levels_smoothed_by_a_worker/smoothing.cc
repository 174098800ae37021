// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace {

// A Python object that is kept by native code.
class Held {
public:
    explicit Held(PyObject *object) : object_(object) { Py_INCREF(object_); }
    ~Held() { Py_DECREF(object_); }
    PyObject *get() const { return object_; }

private:
    PyObject *object_;
};

double smooth(const std::vector<double> &levels)
{
    double level = levels.front();
    for (double each : levels) {
        level += 0.1 * (each - level);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return level;
}

void tell(const Held &callback, double level)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *told = PyObject_CallFunction(callback.get(), "d", level);
    if (told == nullptr) {
        PyErr_Print();
    }
    Py_XDECREF(told);
    PyGILState_Release(state);
}

PyObject *submit(PyObject *, PyObject *args)
{
    PyObject *levels, *callback;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &levels, &callback)) {
        return nullptr;
    }
    std::vector<double> copy;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(levels); i++) {
        copy.push_back(PyFloat_AsDouble(PyList_GET_ITEM(levels, i)));
    }
    auto held = std::make_shared<Held>(callback);
    std::thread([copy = std::move(copy), held = std::move(held)] {
        tell(*held, smooth(copy));
    }).detach();
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"submit", submit, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "smoothing", nullptr, -1, methods};

}  // namespace

PyMODINIT_FUNC PyInit_smoothing()
{
    return PyModule_Create(&module);
}
