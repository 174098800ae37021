// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <atomic>
#include <chrono>
#include <thread>

static std::thread *capture;
static std::atomic<bool> stopping;
static PyObject *on_level;

static void report(long level)
{
    PyGILState_STATE state = PyGILState_Ensure();
    Py_XDECREF(PyObject_CallFunction(on_level, "l", level));
    PyErr_Clear();
    PyGILState_Release(state);
}

static void capture_loop()
{
    for (long frame = 0; !stopping; frame++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        report(frame % 96);
    }
    report(-1); /* the last level: silence */
}

static PyObject *start(PyObject *, PyObject *callback)
{
    Py_INCREF(callback);
    on_level = callback;
    stopping = false;
    capture = new std::thread(capture_loop);
    Py_RETURN_NONE;
}

static PyObject *stop(PyObject *, PyObject *)
{
    stopping = true;
    capture->join();
    delete capture;
    Py_CLEAR(on_level);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"start", start, METH_O, nullptr}, {"stop", stop, METH_NOARGS, nullptr}, {}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "recorder", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_recorder() { return PyModule_Create(&module); }
