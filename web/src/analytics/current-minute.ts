/** The time, rounded down to the minute and shared by the whole page, so that equal queries within a minute are sent once. */
import { useSyncExternalStore } from 'react'

const minuteMs = 60_000

export const readCurrentMinute = (): Date => new Date(Math.floor(Date.now() / minuteMs) * minuteMs)

let current = readCurrentMinute()
let listeners = 0

function refresh(): void {
  const now = readCurrentMinute()
  if (now.getTime() !== current.getTime()) current = now
}

/** A hidden page is not updated until it is visible again. */
function subscribe(onChange: () => void): () => void {
  const update = () => {
    if (document.visibilityState === 'hidden') return
    refresh()
    onChange()
  }
  let timer = setTimeout(tick, minuteMs - (Date.now() % minuteMs))
  function tick() {
    update()
    timer = setTimeout(tick, minuteMs - (Date.now() % minuteMs))
  }
  window.addEventListener('focus', update)
  document.addEventListener('visibilitychange', update)
  update()
  listeners++
  return () => {
    listeners--
    clearTimeout(timer)
    window.removeEventListener('focus', update)
    document.removeEventListener('visibilitychange', update)
  }
}

/** Without listeners, nothing has kept the value up to date. */
function getSnapshot(): Date {
  if (listeners === 0) refresh()
  return current
}

export const useCurrentMinute = (): Date => useSyncExternalStore(subscribe, getSnapshot)
