"""A file system that shows a folder with the habits of network and removable disks.

usage: odd-disk.py FOLDER MOUNTPOINT [HABIT=NUMBER ...]

  directory_times=SECONDS  time of all directories, whatever happens in them
  tick=NANOSECONDS         times are whole ticks: 1000000000 for whole seconds
  skew=SECONDS             its clock is that much ahead of ours
  inodes=SECONDS           all inode numbers change after this time
  cache=SECONDS            how long the kernel keeps sizes, times and inode numbers; by default not

Changes made in FOLDER itself cause no file events below MOUNTPOINT. It is unmounted when the standard
input ends. Needs root and Debian's python3-fusepy.
"""
import os
import subprocess
import sys
import threading
import time
import zlib

import fusepy

SECOND = 10**9
ATTRIBUTES = ('st_mode', 'st_nlink', 'st_uid', 'st_gid', 'st_size', 'st_ino')
SPACE = ('f_bavail', 'f_bfree', 'f_blocks', 'f_bsize', 'f_favail', 'f_ffree', 'f_files', 'f_frsize',
         'f_namemax')


class OddDisk(fusepy.Operations):
    use_ns = True

    def __init__(self, folder, habits):
        self.folder = folder
        self.directory_times = habits.get('directory_times')
        self.tick = int(habits.get('tick', 1))
        self.skew = int(habits.get('skew', 0) * SECOND)
        self.inodes = habits.get('inodes')

    def below(self, path):
        return self.folder + path

    def shown(self, path, found):
        """What is shown of a file or directory: times in nanoseconds."""
        shown = {name: getattr(found, name) for name in ATTRIBUTES}
        times = {'st_atime': found.st_atime_ns, 'st_mtime': found.st_mtime_ns, 'st_ctime': found.st_ctime_ns}
        is_directory = found.st_mode & 0o170000 == 0o040000
        for name, at in times.items():
            if is_directory and self.directory_times is not None:
                shown[name] = int(self.directory_times * SECOND)
            else:
                shown[name] = (at + self.skew) // self.tick * self.tick
        if self.inodes is not None:
            shown['st_ino'] = self.inode(path)
        return shown

    def inode(self, path):
        turn = int(time.time() / self.inodes)
        return zlib.crc32(f'{turn} {path}'.encode(errors='surrogateescape')) + 2

    def getattr(self, path, fh=None):
        return self.shown(path, os.lstat(self.below(path)))

    def readdir(self, path, fh):
        with os.scandir(self.below(path)) as entries:
            # An entry with the inode number 0 would count as removed.
            found = [(entry.name, {'st_mode': kind(entry), 'st_ino': entry.inode()}, 0) for entry in entries]
        return ['.', '..', *found]

    def readlink(self, path):
        return os.readlink(self.below(path))

    def open(self, path, flags):
        return os.open(self.below(path), flags)

    def create(self, path, mode, fi=None):
        return os.open(self.below(path), os.O_RDWR | os.O_CREAT | os.O_TRUNC, mode)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def release(self, path, fh):
        os.close(fh)

    def truncate(self, path, length, fh=None):
        os.truncate(self.below(path), length)

    def rename(self, old, new):
        os.rename(self.below(old), self.below(new))

    def unlink(self, path):
        os.unlink(self.below(path))

    def mkdir(self, path, mode):
        os.mkdir(self.below(path), mode)

    def rmdir(self, path):
        os.rmdir(self.below(path))

    def chmod(self, path, mode):
        os.chmod(self.below(path), mode)

    def chown(self, path, uid, gid):
        os.chown(self.below(path), uid, gid)

    def utimens(self, path, times=None):
        os.utime(self.below(path), ns=times)

    def statfs(self, path):
        found = os.statvfs(self.below(path))
        return {name: getattr(found, name) for name in SPACE}


def kind(entry):
    """The type bits of the mode of an entry."""
    if entry.is_symlink():
        return 0o120000
    return 0o040000 if entry.is_dir() else 0o100000


def unmount_at_end_of_input(mountpoint):
    while os.read(0, 4096):
        pass
    subprocess.run(['umount', '-l', mountpoint], check=False)


def main():
    folder, mountpoint, *given = sys.argv[1:]
    habits = {name: float(value) for name, value in (habit.split('=') for habit in given)}
    disk = OddDisk(os.path.realpath(folder), habits)
    threading.Thread(target=unmount_at_end_of_input, args=[mountpoint], daemon=True).start()
    options = {'use_ino': True} if 'inodes' in habits else {}
    cache = habits.get('cache', 0)
    fusepy.FUSE(disk, mountpoint, foreground=True, nothreads=True, allow_other=True,
                attr_timeout=cache, entry_timeout=cache, **options)


main()
