import { expect, it } from 'vitest'
import { explainStart } from './explain-start.ts'

it.each([
  ['unshare: unshare failed: Operation not permitted', 'kernel.apparmor_restrict_unprivileged_userns=0'],
  ['unshare: write failed /proc/self/uid_map: Operation not permitted', 'does not let an ordinary user'],
  ['mount: /dev/shm: permission denied.', 'does not let an ordinary user'],
  ['unshare: unshare failed: No space left on device', 'user.max_user_namespaces'],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'systempaths=unconfined'],
  ["bwrap: Can't find source path /root/colophon/server: Permission denied", 'nobody, where the runner is root'],
  ['bwrap: Unknown option --disable-userns', 'too old'],
  ['something else', 'something else'],
  ['', 'it said nothing'],
])('says what to do about: %s', (said, advice) => expect(explainStart(said)).toContain(advice))
