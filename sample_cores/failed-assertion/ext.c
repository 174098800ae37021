/* SPDX-License-Identifier: Apache-2.0
 *
 * _ring: a ring buffer of numbers whose pop() asserts what its caller should have checked.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <assert.h>

#define CAPACITY 16

struct ring {
    long items[CAPACITY];
    unsigned head;
    unsigned count;
};

static struct ring ring;

static __attribute__((noinline)) long
ring_pop(struct ring *self)
{
    assert(self->count > 0 && "pop from an empty ring");
    long item = self->items[self->head];
    self->head = (self->head + 1) % CAPACITY;
    self->count--;
    return item;
}

static PyObject *
push(PyObject *module, PyObject *number)
{
    long item = PyLong_AsLong(number);
    if (item == -1 && PyErr_Occurred())
        return NULL;
    assert(ring.count < CAPACITY);
    ring.items[(ring.head + ring.count++) % CAPACITY] = item;
    Py_RETURN_NONE;
}

static PyObject *
pop(PyObject *module, PyObject *unused)
{
    return PyLong_FromLong(ring_pop(&ring));
}

static PyMethodDef methods[] = {
    {"push", push, METH_O, "Append a number."},
    {"pop", pop, METH_NOARGS, "Remove and return the oldest number."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "_ring", .m_size = -1, .m_methods = methods,
};

PyMODINIT_FUNC
PyInit__ring(void)
{
    return PyModule_Create(&module);
}
