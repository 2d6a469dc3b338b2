// handler: the least that a program can do for an action. Nothing on stdout and the status 0 are a success.
int main(void) { return 0; }
