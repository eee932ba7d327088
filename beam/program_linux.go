package main

import (
	"os"
	"os/exec"
	"syscall"
)

// endWithParent lets a child end, keeping what is done, when this process is killed.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }

func interrupt(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
