// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <pthread.h>
#include <unistd.h>
static void *sender(void *unused)
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyGILState_Release(state);
    PyGILState_Release(state);
    return NULL;
}
static PyObject *deliver(PyObject *self, PyObject *count)
{
    pthread_t t;
    pthread_create(&t, NULL, sender, NULL);
    pthread_setname_np(t, "uplink-sender");
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"deliver", deliver, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "uplink", "", -1, methods};
PyMODINIT_FUNC PyInit_uplink(void) { return PyModule_Create(&module); }
