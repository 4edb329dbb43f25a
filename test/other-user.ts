/** Root reads and writes everything: runs parts of a test as another user. */

/** The user `nobody`; the kernel needs no entry in /etc/passwd. */
const nobody = 65_534

/**
 * Runs a function as a user that is not root, until its promise settles; the whole process has this
 * user meanwhile. The function needs files that every user can reach, see `commonFolder`.
 */
export async function asOtherUser<T>(run: () => T | Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return run()
  process.seteuid?.(nobody)
  try {
    return await run()
  } finally {
    process.seteuid?.(0)
  }
}

/**
 * Makes a process of root a process of another user, for good: the call `access` ignores the
 * effective user.
 */
export function becomeOtherUser(): void {
  if (process.getuid?.() === 0) process.setuid?.(nobody)
}
