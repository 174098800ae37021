// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <chrono>
#include <memory>
#include <thread>

// Holds a reference to a Python object; the destructor gives it back.
struct Reference {
    explicit Reference(PyObject *object) : object(object) { Py_INCREF(object); }
    ~Reference() { Py_DECREF(object); }
    PyObject *object;
};

static void io_loop(std::shared_ptr<Reference> chunks)
{
    std::this_thread::sleep_for(std::chrono::milliseconds(300)); // the network
    chunks.reset();
}

static PyObject *send_chunks(PyObject *, PyObject *chunks)
{
    std::thread(io_loop, std::make_shared<Reference>(chunks)).detach();
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"send", send_chunks, METH_O, nullptr}, {}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "uplink", nullptr, -1, methods};
PyMODINIT_FUNC PyInit_uplink() { return PyModule_Create(&module); }
