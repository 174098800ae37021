// SPDX-License-Identifier: Apache-2.0
// Places of a theatre. Places that are no longer needed wait in a pool for the next booking.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

enum { POOL = 64 };

typedef struct {
    PyObject_HEAD
    int row, seat;
    PyObject *guest;
    PyObject *companions;
} Place;

static PyTypeObject PlaceType;
static Place *pool[POOL];
static int pooled;

static int
Place_traverse(Place *self, visitproc visit, void *arg)
{
    Py_VISIT(self->guest);
    Py_VISIT(self->companions);
    return 0;
}

static int
Place_clear(Place *self)
{
    Py_CLEAR(self->guest);
    Py_CLEAR(self->companions);
    return 0;
}

static void
Place_dealloc(Place *self)
{
    PyObject_GC_UnTrack(self);
    Place_clear(self);
    if (pooled < POOL)
        pool[pooled++] = self;
    else
        PyObject_GC_Del(self);
}

static Place *
make_place(void)
{
    if (pooled) {
        Place *self = pool[--pooled];
        PyObject_Init((PyObject *)self, &PlaceType);
        PyObject_GC_Track(self);
        return self;
    }
    return PyObject_GC_New(Place, &PlaceType);
}

static PyObject *
book(PyObject *module, PyObject *args)
{
    int row, seat;
    PyObject *guest;
    if (!PyArg_ParseTuple(args, "iiO:book", &row, &seat, &guest))
        return NULL;
    Place *self = make_place();
    if (!self)
        return NULL;
    self->row = row;
    self->seat = seat;
    Py_INCREF(guest);
    self->guest = guest;
    self->companions = PyList_New(0);
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

static PyMemberDef members[] = {
    {"row", T_INT, offsetof(Place, row), READONLY},
    {"seat", T_INT, offsetof(Place, seat), READONLY},
    {"guest", T_OBJECT, offsetof(Place, guest), 0},
    {"companions", T_OBJECT, offsetof(Place, companions), READONLY},
    {NULL},
};

static PyTypeObject PlaceType = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "places.Place",
    .tp_basicsize = sizeof(Place),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_dealloc = (destructor)Place_dealloc,
    .tp_traverse = (traverseproc)Place_traverse,
    .tp_clear = (inquiry)Place_clear,
    .tp_members = members,
};

static PyMethodDef methods[] = {
    {"book", book, METH_VARARGS, "Book a place for a guest."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "places", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_places(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module || PyType_Ready(&PlaceType) < 0)
        return NULL;
    Py_INCREF(&PlaceType);
    PyModule_AddObject(module, "Place", (PyObject *)&PlaceType);
    return module;
}
