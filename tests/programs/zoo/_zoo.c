/* SPDX-License-Identifier: Apache-2.0
 * An extension module with one bug per mode; see zoo.c. Limited API: one build for all versions. */
#define Py_LIMITED_API 0x03090000
#include <Python.h>
#include <assert.h>
#include <stdint.h>
#include <string.h>

struct ring { long *slots; size_t head, size; };
volatile long zoo_sink;
static volatile size_t chosen = 3;

#ifdef EXTRACT
static inline long mix(long seed, size_t step) { return seed * 31 + (long)step; }
#else
#define mix(seed, step) ((seed) * 31 + (long)(step))
#endif

/* @block */
long ring_push(struct ring *ring, long value) {
    for (size_t at = 0; at < 4; at++) value = mix(value, at);
    ring->slots[ring->head++ % ring->size] = value;
    return value;
}
static PyObject *null(PyObject *self, PyObject *argument) {
    struct ring ring = {NULL, 0, 4};
    (void)self;
    return PyLong_FromLong(ring_push(&ring, PyLong_AsLong(argument)));
}

/* @block */
static PyObject *direct(PyObject *self, PyObject *argument) {
    long total = PyLong_AsLong(argument);
    const struct ring *ring = (const struct ring *)(uintptr_t)(0x20 * (chosen - 3) + 0x30);
    for (size_t at = 0; at < 4; at++) total = mix(total, ring->head);
    (void)self;
    return PyLong_FromLong(total);
}

/* @block */
long ring_check(const struct ring *ring) {
    zoo_sink = mix((long)ring->size, 1);
    assert(ring->head < ring->size);
    return (long)ring->head;
}
static PyObject *failed_assert(PyObject *self, PyObject *argument) {
    struct ring ring = {NULL, 9, 4};
    (void)self;
    (void)argument;
    return PyLong_FromLong(ring_check(&ring));
}

/* @block */
PyObject *visit_all(PyObject *callable, long depth) {
    char local[256];
    memset(local, (int)depth, sizeof local);
    zoo_sink += local[5];
    PyObject *found = PyObject_CallFunction(callable, "Ol", callable, depth + 1);
    return found;
}
static PyObject *visit(PyObject *self, PyObject *arguments) {
    PyObject *callable;
    long depth;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Ol", &callable, &depth)) return NULL;
    return visit_all(callable, depth);
}

/* @block */
long ring_drop(PyObject *value, long times) {
    for (long at = 0; at < times; at++) zoo_sink = mix(zoo_sink, at);
    Py_INCREF(value);
    return times;
}
static PyObject *lost_reference(PyObject *self, PyObject *argument) {
    (void)self;
    long times = PyLong_AsLong(argument);
    return PyLong_FromLong(ring_drop((PyObject *)(uintptr_t)(0x7171710000UL + 8 * chosen), times));
}

/* @block */
PyObject *give_up(const char *why, long times) {
    for (long at = 0; at < times; at++) zoo_sink = mix(zoo_sink, at);
    Py_FatalError(why);
    return NULL;
}
static PyObject *fatal(PyObject *self, PyObject *argument) {
    (void)self;
    return give_up("the zoo gives up", PyLong_AsLong(argument));
}

/* @block */
long ring_stop(struct ring *ring) {
    zoo_sink = mix((long)ring->size, 1);
    if (ring->size > 2) abort();
    return 1;
}
static PyObject *stop(PyObject *self, PyObject *argument) {
    struct ring ring = {NULL, 0, 4};
    (void)self;
    (void)argument;
    return PyLong_FromLong(ring_stop(&ring));
}

/* @block */
PyObject *call_twice(PyObject *callable) {
    PyObject *first = PyObject_CallObject(callable, NULL);
    Py_XDECREF(first);
    return PyObject_CallObject(callable, NULL);
}
static PyObject *twice(PyObject *self, PyObject *callable) {
    (void)self;
    return call_twice(callable);
}
/* @end */

static PyMethodDef methods[] = {
    {"null", null, METH_O, ""},
    {"direct", direct, METH_O, ""},
    {"failed_assert", failed_assert, METH_O, ""},
    {"visit", visit, METH_VARARGS, ""},
    {"lost_reference", lost_reference, METH_O, ""},
    {"fatal", fatal, METH_O, ""},
    {"stop", stop, METH_O, ""},
    {"twice", twice, METH_O, ""},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_zoo", NULL, -1, methods, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit__zoo(void) { return PyModule_Create(&module); }
