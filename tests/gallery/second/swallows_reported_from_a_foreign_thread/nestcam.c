#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pthread.h>

/* A camera in a nest box: a thread of its own finds birds and reports them. */

static PyObject *reporter;
static pthread_barrier_t shutter;
static pthread_t watcher;

static void
report_bird(int frame, double weight)
{
    PyObject *answer = PyObject_CallFunction(reporter, "id", frame, weight);

    Py_XDECREF(answer);
}

static void *
watch_nest(void *arg)
{
    double light = 0.4;

    pthread_barrier_wait(&shutter);
    for (int frame = 1; frame < 4000; frame++) {
        light = light * 3.7 * (1 - light);
        if (light > 0.9)
            report_bird(frame, 16 + light * 5);
    }
    return NULL;
}

static PyObject *
nestcam_open(PyObject *module, PyObject *callable)
{
    Py_INCREF(callable);
    Py_XSETREF(reporter, callable);
    pthread_barrier_init(&shutter, NULL, 2);
    if (pthread_create(&watcher, NULL, watch_nest, NULL) != 0)
        return PyErr_SetFromErrno(PyExc_OSError);
    Py_RETURN_NONE;
}

static PyObject *
nestcam_run(PyObject *module, PyObject *none)
{
    Py_BEGIN_ALLOW_THREADS
    pthread_barrier_wait(&shutter);
    pthread_join(watcher, NULL);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"open", nestcam_open, METH_O, "Open the camera; birds are reported to a callable."},
    {"run", nestcam_run, METH_NOARGS, "Watch until the night."},
    {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "nestcam", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_nestcam(void)
{
    return PyModule_Create(&module);
}
