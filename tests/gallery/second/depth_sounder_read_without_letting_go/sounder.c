/* Driver of an echo sounder: frames of 16 bytes come over a file descriptor. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define FRAME 16

typedef struct {
    PyObject_HEAD
    int descriptor;
    unsigned long frames;
    unsigned char frame[FRAME];
} Sounder;

static int fill_frame(Sounder *self)
{
    size_t have = 0;
    while (have < FRAME) {
        ssize_t got = read(self->descriptor, self->frame + have, FRAME - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        have += got;
    }
    self->frames++;
    return 0;
}

static int sounder_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    return PyArg_ParseTuple(args, "i", &((Sounder *)object)->descriptor) ? 0 : -1;
}

static PyObject *sounder_depth(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Sounder *self = (Sounder *)object;
    if (fill_frame(self) < 0)
        return PyErr_SetFromErrno(PyExc_OSError);
    unsigned value;
    memcpy(&value, self->frame + 4, sizeof value);
    return PyFloat_FromDouble(value / 100.0);
}

static PyObject *sounder_frames(PyObject *object, void *Py_UNUSED(unused))
{
    return PyLong_FromUnsignedLong(((Sounder *)object)->frames);
}

static PyMethodDef methods[] = {
    {"depth", sounder_depth, METH_NOARGS, "Wait for the next frame and return its depth."},
    {NULL, NULL, 0, NULL}};

static PyGetSetDef members[] = {{"frames", sounder_frames, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};

static PyTypeObject SounderType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sounder.Sounder",
    .tp_basicsize = sizeof(Sounder),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = sounder_init,
    .tp_methods = methods,
    .tp_getset = members,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "sounder", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_sounder(void)
{
    PyObject *made;
    if (PyType_Ready(&SounderType) < 0 || !(made = PyModule_Create(&module)))
        return NULL;
    Py_INCREF(&SounderType);
    PyModule_AddObject(made, "Sounder", (PyObject *)&SounderType);
    return made;
}
