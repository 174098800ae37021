// SPDX-License-Identifier: Apache-2.0
// The gate of a canal lock: its level, and who is to be told when that changes.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class Gate {
  public:
    void fill(double metres)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        for (int step = 0; step < 20; step++) {
            level_ += metres / 20;
            std::this_thread::sleep_for(std::chrono::milliseconds(4));
        }
        tell(level_);
    }

    double level()
    {
        std::lock_guard<std::mutex> guard(mutex_);
        return level_;
    }

    void listen(PyObject *listener)
    {
        std::lock_guard<std::mutex> guard(mutex_);
        Py_INCREF(listener);
        listeners_.push_back(listener);
    }

  private:
    void tell(double level)
    {
        PyGILState_STATE state = PyGILState_Ensure();
        for (PyObject *listener : listeners_) {
            PyObject *result = PyObject_CallFunction(listener, "d", level);
            if (result == nullptr) {
                PyErr_WriteUnraisable(listener);
            }
            Py_XDECREF(result);
        }
        PyGILState_Release(state);
    }

    std::mutex mutex_;
    double level_ = 0;
    std::vector<PyObject *> listeners_;
};

Gate gate;

PyObject *gate_fill(PyObject *, PyObject *arg)
{
    double metres = PyFloat_AsDouble(arg);
    if (PyErr_Occurred()) {
        return nullptr;
    }
    Py_BEGIN_ALLOW_THREADS
    gate.fill(metres);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

PyObject *gate_level(PyObject *, PyObject *)
{
    return PyFloat_FromDouble(gate.level());
}

PyObject *gate_listen(PyObject *, PyObject *listener)
{
    gate.listen(listener);
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"fill", gate_fill, METH_O, nullptr},
    {"level", gate_level, METH_NOARGS, nullptr},
    {"listen", gate_listen, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "gate", nullptr, -1, functions};

}  // namespace

PyMODINIT_FUNC PyInit_gate()
{
    return PyModule_Create(&definition);
}
