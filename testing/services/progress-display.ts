/** Progress of a long task: on a terminal one line that is updated in place, in a log one line every 15 seconds. */
export interface ProgressDisplay {
  update(detail: string): void
  done(): void
}

const logEverySeconds = 15

export function showProgress(title: string, expectedSeconds: number): ProgressDisplay {
  const startedAt = Date.now()
  const isTerminal = process.stderr.isTTY
  let detail = 'starting'
  let lastLoggedSeconds = 0
  const elapsedSeconds = () => Math.round((Date.now() - startedAt) / 1000)
  const line = () => `${title}: ${detail}, ${clock(elapsedSeconds())} of about ${clock(expectedSeconds)}`

  console.error(`${title}: once per version, about ${Math.ceil(expectedSeconds / 60)} min on two cores`)
  const timer = setInterval(() => {
    if (isTerminal) process.stderr.write(`\r\x1b[K${line()}`)
    else if (elapsedSeconds() - lastLoggedSeconds >= logEverySeconds) {
      lastLoggedSeconds = elapsedSeconds()
      console.error(line())
    }
  }, 500)
  return {
    update(next) {
      detail = next
    },
    done() {
      clearInterval(timer)
      if (isTerminal) process.stderr.write('\r\x1b[K')
      console.error(`${title}: done in ${clock(elapsedSeconds())}`)
    },
  }
}

const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
