// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <string>
extern "C" int home_folder(const char *user)
{
    std::string folder(getenv(user));
    return folder.size();
}
