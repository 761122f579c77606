/** What a job does while a command waits for it: a status line at the bottom on a terminal, plain lines elsewhere. */
import type { JobEvent } from '@colophon/sdk'
import { printableLine } from '../terminal/printable.ts'
import { shorten } from '../terminal/table.ts'
import type { OutputStream } from '../terminal/terminal.ts'
import { formatEvent } from './format-job.ts'

export interface ProgressDisplay {
  show(event: JobEvent): void
  end(): void
}

export function startProgressDisplay(jobId: string, stream: OutputStream): ProgressDisplay {
  return stream.isTerminal ? startStatusLine(jobId, stream) : showLines(stream)
}

/** The output of tools is in `job logs`. */
const formatProgress = (event: JobEvent, { style }: OutputStream): string | undefined =>
  event.type === 'tool_result' && !event.isError ? undefined : formatEvent(event, style)

const showLines = (stream: OutputStream): ProgressDisplay => ({
  show(event) {
    const text = formatProgress(event, stream)
    if (text !== undefined) stream.print(text)
  },
  end() {},
})

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 120
const clearLine = '\r\u001b[2K'

function startStatusLine(jobId: string, stream: OutputStream): ProgressDisplay {
  const startedAtMs = Date.now()
  let frame = 0
  let turn = 0
  const drawStatus = () => {
    const seconds = Math.floor((Date.now() - startedAtMs) / 1000)
    const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
    const state = turn === 0 ? 'waiting for a runner' : `working on message ${turn}`
    const status = `${frames[frame % frames.length]} ${printableLine(jobId)} ${state} · ${time}`
    const text = shorten(status, stream.columns - 1)
    stream.draw(clearLine + stream.style.cyan(text))
  }
  const timer = setInterval(() => {
    frame++
    drawStatus()
  }, frameMs)
  drawStatus()
  return {
    show(event) {
      turn = event.turn
      const text = formatProgress(event, stream)
      if (text === undefined) return
      stream.draw(clearLine)
      stream.print(text)
      drawStatus()
    },
    end() {
      clearInterval(timer)
      stream.draw(clearLine)
    },
  }
}
