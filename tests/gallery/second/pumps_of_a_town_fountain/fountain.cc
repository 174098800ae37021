// SPDX-License-Identifier: Apache-2.0
// Pumps of a fountain: each one runs in a thread of its own until it is stopped.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

class Pump {
  public:
    explicit Pump(std::string name) : name_(std::move(name)) {}

    void start(double litres_per_second)
    {
        running_ = true;
        thread_ = std::thread([this, litres_per_second] {
            while (running_) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                millilitres_ += static_cast<long>(litres_per_second * 5);
            }
        });
    }

    void stop()
    {
        running_ = false;
        thread_.join();
    }

    long millilitres() const { return millilitres_; }

  private:
    std::string name_;
    std::atomic<bool> running_{false};
    std::atomic<long> millilitres_{0};
    std::thread thread_;
};

const char *kind = "fountain.Pump";

Pump *pump_of(PyObject *capsule)
{
    return static_cast<Pump *>(PyCapsule_GetPointer(capsule, kind));
}

void forget_pump(PyObject *capsule)
{
    delete pump_of(capsule);
}

PyObject *open_pump(PyObject *, PyObject *args)
{
    const char *name;
    if (!PyArg_ParseTuple(args, "s", &name)) {
        return nullptr;
    }
    return PyCapsule_New(new Pump(name), kind, forget_pump);
}

PyObject *start_pump(PyObject *, PyObject *args)
{
    PyObject *capsule;
    double rate;
    if (!PyArg_ParseTuple(args, "Od", &capsule, &rate)) {
        return nullptr;
    }
    pump_of(capsule)->start(rate);
    Py_RETURN_NONE;
}

PyObject *stop_pump(PyObject *, PyObject *capsule)
{
    Pump *pump = pump_of(capsule);
    Py_BEGIN_ALLOW_THREADS
    pump->stop();
    Py_END_ALLOW_THREADS
    return PyLong_FromLong(pump->millilitres());
}

PyMethodDef functions[] = {
    {"open_pump", open_pump, METH_VARARGS, nullptr},
    {"start_pump", start_pump, METH_VARARGS, nullptr},
    {"stop_pump", stop_pump, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "fountain", nullptr, -1, functions};

}  // namespace

PyMODINIT_FUNC PyInit_fountain()
{
    return PyModule_Create(&definition);
}
