// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
static PyThreadState *background;
static PyObject *plugins_run(PyObject *self, PyObject *source)
{
    const char *text = PyUnicode_AsUTF8(source);
    PyThreadState *host = PyThreadState_Get();
    PyThreadState *plugin = Py_NewInterpreter();
    int bad = PyRun_SimpleString(text);
    background = PyThreadState_New(plugin->interp); /* for a thread that is started later */
    Py_EndInterpreter(plugin);
    PyThreadState_Swap(host);
    return PyLong_FromLong(bad);
}
static PyMethodDef methods[] = {{"run", plugins_run, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "plugins", "", -1, methods};
PyMODINIT_FUNC PyInit_plugins(void) { return PyModule_Create(&module); }
