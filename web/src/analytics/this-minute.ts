/** The time, to the minute, as all parts of a page see it: the same question within a minute is asked once. */
import { useSyncExternalStore } from 'react'

const minuteMs = 60_000

export const thisMinute = (): Date => new Date(Math.floor(Date.now() / minuteMs) * minuteMs)

let held = thisMinute()
let listeners = 0

function renew(): void {
  const now = thisMinute()
  if (now.getTime() !== held.getTime()) held = now
}

/** A page that nobody looks at need not know; it learns the time when it is looked at again. */
function listen(changed: () => void): () => void {
  const look = () => {
    if (document.visibilityState === 'hidden') return
    renew()
    changed()
  }
  let timer = setTimeout(tick, minuteMs - (Date.now() % minuteMs))
  function tick() {
    look()
    timer = setTimeout(tick, minuteMs - (Date.now() % minuteMs))
  }
  window.addEventListener('focus', look)
  document.addEventListener('visibilitychange', look)
  look()
  listeners++
  return () => {
    listeners--
    clearTimeout(timer)
    window.removeEventListener('focus', look)
    document.removeEventListener('visibilitychange', look)
  }
}

/** What was held before the page was opened is long over. */
function read(): Date {
  if (listeners === 0) renew()
  return held
}

export const useThisMinute = (): Date => useSyncExternalStore(listen, read)
