// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

/* renew(watch, now, journal): ask the watched session whether it may go on, and note what it said */
static PyObject *renewal_renew(PyObject *self, PyObject *args)
{
    PyObject *watch, *journal, *session, *said, *noted, *user;
    double now;
    if (!PyArg_ParseTuple(args, "OdO", &watch, &now, &journal))
        return NULL;
    session = PyWeakref_GetObject(watch);
    if (session == NULL || session == Py_None)
        Py_RETURN_NONE;
    said = PyObject_CallMethod(session, "may_go_on", "d", now);
    if (said == NULL)
        return NULL;
    noted = PyObject_CallFunctionObjArgs(journal, said, NULL);
    Py_DECREF(said);
    if (noted == NULL)
        return NULL;
    Py_DECREF(noted);
    user = PyObject_GetAttrString(session, "user");
    return user;
}

static PyMethodDef methods[] = {{"renew", renewal_renew, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "renewal", NULL, -1, methods};
PyMODINIT_FUNC PyInit_renewal(void) { return PyModule_Create(&module); }
