/* SPDX-License-Identifier: Apache-2.0 */
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

/* Write "name (home)" of a user. */
int describe_owner(uid_t uid, char *text, size_t room)
{
    struct passwd *entry = getpwuid(uid);
    size_t length = strlen(entry->pw_name);
    if (length + 4 > room)
        return -1;
    return snprintf(text, room, "%s (%s)", entry->pw_name, entry->pw_dir);
}
