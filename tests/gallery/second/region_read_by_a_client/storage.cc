// SPDX-License-Identifier: Apache-2.0
#include <Python.h>
#include <cstdlib>
#include <string>
namespace {
std::string setting(const std::string &name)
{
    return std::string(std::getenv(name.c_str()));
}
class Client {
  public:
    Client() : region_(setting("STORAGE_REGION")), zone_(setting("STORAGE_ZONE")) {}
    std::string url(const std::string &bucket) const
    {
        return "https://" + bucket + "." + zone_ + "." + region_ + ".example";
    }

  private:
    std::string region_, zone_;
};
PyObject *url_of(PyObject *, PyObject *args)
{
    const char *bucket;
    if (!PyArg_ParseTuple(args, "s", &bucket))
        return nullptr;
    return PyUnicode_FromString(Client().url(bucket).c_str());
}
PyMethodDef methods[] = {{"url_of", url_of, METH_VARARGS, ""}, {}};
PyModuleDef module = {PyModuleDef_HEAD_INIT, "storage", "", -1, methods};
}
PyMODINIT_FUNC PyInit_storage(void) { return PyModule_Create(&module); }
