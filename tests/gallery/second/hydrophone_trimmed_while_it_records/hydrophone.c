/* Recordings in memory. record() runs without the GIL. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <string.h>
#include <unistd.h>

#define NAME "hydrophone.recording"
#define CHUNK 4096

struct recording {
    char *samples;
    size_t capacity;
    volatile size_t filled;
};

static void destroy(PyObject *capsule)
{
    struct recording *recording = PyCapsule_GetPointer(capsule, NAME);
    free(recording->samples);
    free(recording);
}

static PyObject *open_recording(PyObject *self, PyObject *arg)
{
    size_t capacity = PyLong_AsSize_t(arg);
    struct recording *recording = calloc(1, sizeof *recording);
    if (!recording || !(recording->samples = malloc(capacity)))
        return PyErr_NoMemory();
    recording->capacity = capacity;
    return PyCapsule_New(recording, NAME, destroy);
}

static int record_into(struct recording *recording, int fd)
{
    char chunk[CHUNK];
    char *samples = recording->samples;
    while (recording->filled + CHUNK <= recording->capacity) {
        ssize_t number = read(fd, chunk, CHUNK);
        if (number <= 0)
            return (int)number;
        memcpy(samples + recording->filled, chunk, number);
        recording->filled += number;
    }
    return 0;
}

static PyObject *record(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    int fd, failed;
    if (!PyArg_ParseTuple(args, "Oi", &capsule, &fd))
        return NULL;
    struct recording *recording = PyCapsule_GetPointer(capsule, NAME);
    if (!recording)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    failed = record_into(recording, fd);
    Py_END_ALLOW_THREADS
    if (failed)
        return PyErr_SetFromErrno(PyExc_OSError);
    Py_RETURN_NONE;
}

static PyObject *trim(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "On", &capsule, &size))
        return NULL;
    struct recording *recording = PyCapsule_GetPointer(capsule, NAME);
    if (!recording)
        return NULL;
    if ((size_t)size < recording->filled)
        size = recording->filled;
    char *smaller = malloc(size);
    if (!smaller)
        return PyErr_NoMemory();
    memcpy(smaller, recording->samples, recording->filled);
    free(recording->samples);
    recording->samples = smaller;
    recording->capacity = size;
    Py_RETURN_NONE;
}

static PyObject *filled(PyObject *self, PyObject *capsule)
{
    struct recording *recording = PyCapsule_GetPointer(capsule, NAME);
    return recording ? PyLong_FromSize_t(recording->filled) : NULL;
}

static PyMethodDef methods[] = {
    {"open", open_recording, METH_O, NULL},
    {"record", record, METH_VARARGS, NULL},
    {"trim", trim, METH_VARARGS, NULL},
    {"filled", filled, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "hydrophone", NULL, -1, methods};

PyMODINIT_FUNC PyInit_hydrophone(void)
{
    return PyModule_Create(&module);
}
