// SPDX-License-Identifier: Apache-2.0
// Interpolates the tide at a position from a grid of gauges.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>

enum { ROWS = 24, COLUMNS = 36 };

struct grid {
    float south, west, step;
    float height[ROWS][COLUMNS];
};

struct request {
    const char *vessel;
    float latitude;
    float longitude;
    const struct grid *grid;
};

static struct grid north_sea;

static float
interpolate(const struct request *request)
{
    const struct grid *grid = request->grid;
    float y = (request->latitude - grid->south) / grid->step;
    float x = (request->longitude - grid->west) / grid->step;
    int row = fminf(fmaxf(y, 0), ROWS - 2), column = fminf(fmaxf(x, 0), COLUMNS - 2);
    float below = grid->height[row][column], above = grid->height[row + 1][column];
    return below + (above - below) * (y - row);
}

static PyObject *
tide_at(PyObject *module, PyObject *args)
{
    struct request request = {NULL, 0, 0, &north_sea};
    if (!PyArg_ParseTuple(args, "sff:tide_at", &request.vessel, &request.latitude,
                          &request.longitude))
        return NULL;
    return Py_BuildValue("sd", request.vessel, (double)interpolate(&request));
}

/* The same for a position that is told in minutes. */
static PyObject *
tide_at_minutes(PyObject *module, PyObject *args)
{
    struct request request = {NULL, 0, 0, &north_sea};
    if (!PyArg_ParseTuple(args, "sdd:tide_at_minutes", &request.vessel, &request.latitude,
                          &request.longitude))
        return NULL;
    request.latitude /= 60;
    request.longitude /= 60;
    return Py_BuildValue("sd", request.vessel, (double)interpolate(&request));
}

static PyMethodDef methods[] = {
    {"tide_at", tide_at, METH_VARARGS, "The tide at a position in degrees."},
    {"tide_at_minutes", tide_at_minutes, METH_VARARGS, "The tide at a position in minutes."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "tides", NULL, -1, methods};

PyMODINIT_FUNC
PyInit_tides(void)
{
    north_sea.south = 51;
    north_sea.west = -2;
    north_sea.step = 0.25f;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            north_sea.height[row][column] = sinf(row * 0.3f) + cosf(column * 0.2f);
    return PyModule_Create(&definition);
}
