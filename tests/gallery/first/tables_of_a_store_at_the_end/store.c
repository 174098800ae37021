// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <sys/mman.h>
struct store { size_t size, used; int open; };
struct table { struct store *home; char name[16]; long count, sum; };
static void store_close(PyObject *capsule)
{
    struct store *store = PyCapsule_GetPointer(capsule, "store");
    munmap(store, store->size);
}
static void table_close(PyObject *capsule)
{
    struct table *table = PyCapsule_GetPointer(capsule, "table");
    table->home->open--;
}
static PyObject *store_open(PyObject *self, PyObject *size)
{
    size_t bytes = PyLong_AsSize_t(size);
    struct store *made =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return PyErr_SetFromErrno(PyExc_OSError);
    made->size = bytes;
    made->used = sizeof *made;
    return PyCapsule_New(made, "store", store_close);
}
static PyObject *store_table(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    const char *name;
    if (!PyArg_ParseTuple(args, "Os", &capsule, &name))
        return NULL;
    struct store *store = PyCapsule_GetPointer(capsule, "store");
    if (!store)
        return NULL;
    struct table *made = (struct table *)((char *)store + store->used);
    store->used += sizeof *made;
    store->open++;
    made->home = store;
    snprintf(made->name, sizeof made->name, "%s", name);
    return PyCapsule_New(made, "table", table_close);
}
static PyObject *store_append(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    long value;
    if (!PyArg_ParseTuple(args, "Ol", &capsule, &value))
        return NULL;
    struct table *table = PyCapsule_GetPointer(capsule, "table");
    table->count++;
    table->sum += value;
    Py_RETURN_NONE;
}
static PyObject *store_count(PyObject *self, PyObject *capsule)
{
    return PyLong_FromLong(((struct table *)PyCapsule_GetPointer(capsule, "table"))->count);
}
static PyMethodDef methods[] = {
    {"open", store_open, METH_O, ""}, {"table", store_table, METH_VARARGS, ""},
    {"append", store_append, METH_VARARGS, ""}, {"count", store_count, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "store", "", -1, methods};
PyMODINIT_FUNC PyInit_store(void) { return PyModule_Create(&module); }
