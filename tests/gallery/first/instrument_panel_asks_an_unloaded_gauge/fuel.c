static double left = 180.0;

double fuel_read(double time)
{
    left -= 0.02;
    return left - time * 0.001;
}

int fuel_version(void)
{
    return 1;
}
