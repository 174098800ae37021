// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <chrono>
#include <thread>

using namespace std::chrono_literals;

static struct Port {
    ~Port() { std::this_thread::sleep_for(600ms); } // the port is flushed before it is closed
} port;

static long failures;

static double wait_for_value()
{
    PyThreadState *state = PyEval_SaveThread();
    std::this_thread::sleep_for(200ms);
    PyEval_RestoreThread(state);
    return 21.5;
}

static double measure()
{
    double value = -273.15;
    try {
        value = wait_for_value();
    } catch (...) {
        failures++;
    }
    return value;
}

static PyObject *read_sensor(PyObject *, PyObject *)
{
    return PyFloat_FromDouble(measure());
}

static PyMethodDef methods[] = {{"read", read_sensor, METH_NOARGS, nullptr}, {}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "sensor", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_sensor() { return PyModule_Create(&module); }
