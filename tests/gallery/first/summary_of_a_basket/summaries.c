// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <stdio.h>
struct summary { size_t length, room; char *text; };
static void summary_free(PyObject *capsule)
{
    struct summary *summary = PyCapsule_GetPointer(capsule, "summary");
    PyMem_Free(summary->text);
    PyMem_RawFree(summary);
}
static PyObject *summaries_new(PyObject *self, PyObject *none)
{
    struct summary *made = PyMem_RawCalloc(1, sizeof *made);
    made->room = 256;
    made->text = PyMem_Calloc(1, made->room);
    return PyCapsule_New(made, "summary", summary_free);
}
static PyObject *summaries_add(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    const char *article;
    int pieces;
    if (!PyArg_ParseTuple(args, "Osi", &capsule, &article, &pieces))
        return NULL;
    struct summary *of = PyCapsule_GetPointer(capsule, "summary");
    if (!of)
        return NULL;
    of->length += snprintf(of->text + of->length, of->room - of->length, "%d %s; ", pieces,
                           article);
    return PyLong_FromSize_t(of->length);
}
static PyMethodDef methods[] = {{"new", summaries_new, METH_NOARGS, ""},
                                {"add", summaries_add, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "summaries", "", -1, methods};
PyMODINIT_FUNC PyInit_summaries(void) { return PyModule_Create(&module); }
