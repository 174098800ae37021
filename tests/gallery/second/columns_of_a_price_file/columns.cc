// SPDX-License-Identifier: Apache-2.0
#include <Python.h>

#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace columnar {

using Scalar = std::variant<std::monostate, long, double, std::string>;

Scalar parse_cell(const std::string &cell)
{
    if (cell.empty())
        return std::monostate{};
    try {
        size_t used = 0;
        double number = std::stod(cell, &used);
        if (used == cell.size())
            return number;
    } catch (const std::exception &) {
    }
    return cell;
}

class Column {
public:
    void append(std::string cell) { cells_.push_back(std::move(cell)); }

    double sum() const
    {
        double total = 0;
        for (const std::string &cell : cells_)
            total += std::get<double>(parse_cell(cell));
        return total;
    }

private:
    std::vector<std::string> cells_;
};

void sum_columns(const std::vector<Column> &columns, std::vector<double> &sums)
{
    std::vector<std::thread> workers;
    for (size_t at = 0; at < columns.size(); at++)
        workers.emplace_back([&columns, &sums, at] { sums[at] = columns[at].sum(); });
    for (std::thread &worker : workers)
        worker.join();
}

}  // namespace columnar

static PyObject *sums(PyObject *, PyObject *rows)
{
    std::vector<columnar::Column> columns;
    for (Py_ssize_t at = 0; at < PyList_GET_SIZE(rows); at++) {
        PyObject *row = PyList_GET_ITEM(rows, at);
        columns.resize(PyList_GET_SIZE(row));
        for (Py_ssize_t cell = 0; cell < PyList_GET_SIZE(row); cell++)
            columns[cell].append(PyUnicode_AsUTF8(PyList_GET_ITEM(row, cell)));
    }
    std::vector<double> found(columns.size());
    Py_BEGIN_ALLOW_THREADS
    columnar::sum_columns(columns, found);
    Py_END_ALLOW_THREADS
    PyObject *list = PyList_New(0);
    for (double value : found) {
        PyObject *number = PyFloat_FromDouble(value);
        PyList_Append(list, number);
        Py_DECREF(number);
    }
    return list;
}

static PyMethodDef methods[] = {
    {"sums", sums, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "columns", nullptr, -1, methods};

PyMODINIT_FUNC PyInit_columns(void)
{
    return PyModule_Create(&module);
}
