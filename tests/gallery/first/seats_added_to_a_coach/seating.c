// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
struct plan { long count, *seats; };
static void plan_free(PyObject *capsule)
{
    struct plan *plan = PyCapsule_GetPointer(capsule, "plan");
    PyMem_Free(plan->seats);
    PyMem_RawFree(plan);
}
static PyObject *seating_plan(PyObject *self, PyObject *count)
{
    struct plan *made = PyMem_RawMalloc(sizeof *made);
    made->count = PyLong_AsLong(count);
    made->seats = PyMem_Calloc(made->count, sizeof(long));
    return PyCapsule_New(made, "plan", plan_free);
}
static PyObject *seating_take(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    long seat;
    if (!PyArg_ParseTuple(args, "Ol", &capsule, &seat))
        return NULL;
    struct plan *plan = PyCapsule_GetPointer(capsule, "plan");
    if (seat >= 0 && seat < plan->count)
        plan->seats[seat] = 1;
    Py_RETURN_NONE;
}
static PyObject *seating_lengthen(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    long more;
    if (!PyArg_ParseTuple(args, "Ol", &capsule, &more))
        return NULL;
    struct plan *plan = PyCapsule_GetPointer(capsule, "plan");
    memset(plan->seats + plan->count, 0, more * sizeof(long));
    plan->seats = PyMem_Realloc(plan->seats, (plan->count + more) * sizeof(long));
    plan->count += more;
    Py_RETURN_NONE;
}
static PyMethodDef methods[] = {{"plan", seating_plan, METH_O, ""},
                                {"take", seating_take, METH_VARARGS, ""},
                                {"lengthen", seating_lengthen, METH_VARARGS, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "seating", "", -1, methods};
PyMODINIT_FUNC PyInit_seating(void) { return PyModule_Create(&module); }
