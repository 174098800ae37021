// SPDX-License-Identifier: Apache-2.0
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject *error;
    unsigned long packed;
    char magic[4];
} codec_state;

static struct PyModuleDef module;

static codec_state *current_state(void)
{
    return (codec_state *)PyModule_GetState(PyState_FindModule(&module));
}

static PyObject *version(PyObject *self, PyObject *none) { return PyUnicode_FromString("1.4"); }

static PyObject *pack(PyObject *self, PyObject *args)
{
    unsigned int number;
    const char *text;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "Is#", &number, &text, &size)) return NULL;
    codec_state *state = current_state();
    state->packed++;
    if (size > 65535) {
        PyErr_SetString(state->error, "too long");
        return NULL;
    }
    return PyBytes_FromFormat("%.4s%x%s", state->magic, number, text);
}

static int exec_module(PyObject *self)
{
    codec_state *state = PyModule_GetState(self);
    state->error = PyErr_NewException("framecodec.Error", NULL, NULL);
    memcpy(state->magic, "FRM1", 4);
    return state->error ? 0 : -1;
}

static PyMethodDef methods[] = {
    {"pack", pack, METH_VARARGS, ""}, {"version", version, METH_NOARGS, ""}, {0}};
static PyModuleDef_Slot slots[] = {{Py_mod_exec, exec_module}, {0}};
static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "framecodec", "", sizeof(codec_state), methods, slots};
PyMODINIT_FUNC PyInit_framecodec(void) { return PyModuleDef_Init(&module); }
