/**
 * Loaded by pi, in the box. pi keeps what a command prints in a file under /tmp, all of it and for ever, and dies when there is
 * no more room: seen with `yes`, on a quick machine. So it hears the beginning and the end; its files are where commands have no
 * reason to write, and only the last few stay.
 */
import { globSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { BashOperations, ExtensionAPI } from '@earendil-works/pi-coding-agent'

const bundle = '/engine/node_modules/@earendil-works/pi-coding-agent/dist/bundle/index.js'
const pi: typeof import('@earendil-works/pi-coding-agent') = await import(bundle)

const files = tmpdir() // pi's own, see its environment
const maxFiles = 8
const maxBeginningBytes = 1024 * 1024
const maxEndBytes = 64 * 1024 // more than the model is shown
/** Of all commands that run at the same time. */
const maxConcurrentBytes = 16 * 1024 * 1024

export default function boundBash(api: ExtensionAPI): void {
  const local = pi.createLocalBashOperations()
  let bytesAtOnce = 0
  const operations: BashOperations = {
    async exec(command, directory, options) {
      forgetOldFiles()
      let toldBytes = 0
      let isCut = false
      let end = Buffer.alloc(0)
      const onData = (chunk: Buffer) => {
        const isRoom = toldBytes + chunk.length <= maxBeginningBytes && bytesAtOnce + chunk.length <= maxConcurrentBytes
        if (isRoom && end.length === 0) {
          toldBytes += chunk.length
          bytesAtOnce += chunk.length
          return options.onData(chunk)
        }
        isCut ||= end.length + chunk.length > maxEndBytes
        end = Buffer.concat([end, chunk]).subarray(-maxEndBytes)
      }
      try {
        const env = { ...options.env, TMPDIR: '/tmp', NODE_COMPILE_CACHE: undefined } // the two that are pi's alone
        return await local.exec(command, directory, { ...options, env, onData })
      } finally {
        bytesAtOnce -= toldBytes
        if (isCut) options.onData(Buffer.from('\n[Too much was printed: a part is left out here.]\n'))
        options.onData(end)
      }
    },
  }
  api.registerTool(pi.createBashToolDefinition('/workspace', { operations }))
}

/** The model was told where they are, and may look into the latest. */
function forgetOldFiles(): void {
  const madeAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const found = globSync(`${files}/*`).map((path) => ({ path, madeAtMs: madeAt(path) }))
  const old = found.toSorted((a, b) => b.madeAtMs - a.madeAtMs).slice(maxFiles - 1)
  for (const { path } of old) rmSync(path, { force: true, recursive: true })
}
