/* SPDX-License-Identifier: Apache-2.0 */
#include <Python.h>

static struct { PyInterpreterState *owner; char action[80]; } timers[8];
static int used;

static void add_timer(PyInterpreterState *owner, const char *action)
{
    timers[used].owner = owner;
    snprintf(timers[used++].action, 80, "%s", action);
}

/* Run a plugin in an interpreter of its own; it is unloaded at the end, its timer is not. */
static PyObject *run_plugin(PyObject *self, PyObject *args)
{
    const char *code, *action;
    if (!PyArg_ParseTuple(args, "ss", &code, &action))
        return NULL;
    PyThreadState *host = PyThreadState_Get();
    PyThreadState *plugin = Py_NewInterpreter();
    if (!plugin)
        return PyErr_NoMemory();
    PyRun_SimpleString(code);
    add_timer(PyThreadState_GetInterpreter(plugin), action);
    Py_EndInterpreter(plugin);
    PyThreadState_Swap(host);
    Py_RETURN_NONE;
}

static void fire(int number)
{
    PyThreadState *host = PyThreadState_Get();
    PyThreadState *plugin = PyThreadState_New(timers[number].owner);
    PyThreadState_Swap(plugin);
    PyRun_SimpleString(timers[number].action);
    PyThreadState_Clear(plugin);
    PyThreadState_Swap(host);
    PyThreadState_Delete(plugin);
}

static PyObject *tick(PyObject *self, PyObject *unused)
{
    for (int number = 0; number < used; number++)
        fire(number);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"run_plugin", run_plugin, METH_VARARGS, NULL}, {"tick", tick, METH_NOARGS, NULL}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "plugins", NULL, -1, methods};
PyMODINIT_FUNC PyInit_plugins(void) { return PyModule_Create(&module); }
