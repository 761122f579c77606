/**
 * An extension that pi loads in the sandbox. pi writes the whole output of every command to a temporary file, keeps the files
 * forever, and dies when the file system is full (seen with `yes`, on a fast machine). With this extension pi gets only the
 * beginning and the end of an output, its files are in a directory that commands have no reason to write to, and only the newest
 * files are kept.
 */
import { globSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { BashOperations, ExtensionAPI } from '@earendil-works/pi-coding-agent'

const bundle = '/agent/node_modules/@earendil-works/pi-coding-agent/dist/bundle/index.js'
const pi: typeof import('@earendil-works/pi-coding-agent') = await import(bundle)

const outputsDirectory = tmpdir() // pi's own TMPDIR, see its environment in pi-agent.ts
const maxFiles = 8
const maxBeginningBytes = 1024 * 1024
const maxEndBytes = 64 * 1024 // more than pi shows to the model
/** Total for all commands that run at the same time. */
const maxConcurrentBytes = 16 * 1024 * 1024

export default function boundBash(api: ExtensionAPI): void {
  const local = pi.createLocalBashOperations()
  let concurrentBytes = 0
  const operations: BashOperations = {
    async exec(command, directory, options) {
      deleteOldFiles()
      let forwardedBytes = 0
      let isCut = false
      let end = Buffer.alloc(0)
      const onData = (chunk: Buffer) => {
        const fits =
          forwardedBytes + chunk.length <= maxBeginningBytes && concurrentBytes + chunk.length <= maxConcurrentBytes
        if (fits && end.length === 0) {
          forwardedBytes += chunk.length
          concurrentBytes += chunk.length
          return options.onData(chunk)
        }
        isCut ||= end.length + chunk.length > maxEndBytes
        end = Buffer.concat([end, chunk]).subarray(-maxEndBytes)
      }
      try {
        const env = { ...options.env, TMPDIR: '/tmp', NODE_COMPILE_CACHE: undefined } // pi's own values are not for commands
        return await local.exec(command, directory, { ...options, env, onData })
      } finally {
        concurrentBytes -= forwardedBytes
        if (isCut) options.onData(Buffer.from('\n[The output is too long: a part is omitted here.]\n'))
        options.onData(end)
      }
    },
  }
  api.registerTool(pi.createBashToolDefinition('/workspace', { operations }))
}

/** Keeps the newest files: pi has told the model their paths, and it may read them. */
function deleteOldFiles(): void {
  const modifiedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const files = globSync(`${outputsDirectory}/*`).map((path) => ({ path, modifiedAtMs: modifiedAt(path) }))
  const old = files.toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs).slice(maxFiles - 1)
  for (const { path } of old) rmSync(path, { force: true, recursive: true })
}
