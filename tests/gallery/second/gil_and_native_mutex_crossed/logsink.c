// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static PyObject *flush_all(PyObject *self, PyObject *unused)
{
    Py_BEGIN_ALLOW_THREADS
    pthread_mutex_lock(&guard);
    usleep(200000);
    PyGILState_STATE state = PyGILState_Ensure();
    PyGILState_Release(state);
    pthread_mutex_unlock(&guard);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}
static PyObject *log_line(PyObject *self, PyObject *number)
{
    pthread_mutex_lock(&guard);
    pthread_mutex_unlock(&guard);
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"flush_all", flush_all, METH_NOARGS, ""}, {"log_line", log_line, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "logsink", "", -1, methods};
PyMODINIT_FUNC PyInit_logsink(void) { return PyModule_Create(&module); }
