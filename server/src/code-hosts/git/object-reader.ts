import { type GitCommand, killGroup, startGit } from './run-git.ts'

export type ObjectInfo = { type: string; sizeBytes: number }

export type ObjectReader = {
  /** Costs nothing, however large the object is. Undefined: there is no such object here. */
  info(id: string): Promise<ObjectInfo | undefined>
  /** Only after `info` has said that it is small enough. */
  contents(id: string): Promise<Buffer>
  close(): void
}

/** One `git cat-file` for many questions, asked one after another. */
export function openObjectReader(command: Pick<GitCommand, 'gitDirectory' | 'signal'>): ObjectReader {
  const child = startGit({ ...command, args: ['cat-file', '--batch-command'] })
  const responses = readResponses(child.stdout)
  child.stderr.resume()

  async function ask(question: string): Promise<string> {
    child.stdin.write(`${question}\n`)
    return (await responses.until(0x0a)).toString('latin1')
  }

  return {
    async info(id) {
      const [, type = '', sizeBytes] = (await ask(`info ${id}`)).split(' ')
      return sizeBytes === undefined ? undefined : { type, sizeBytes: Number(sizeBytes) }
    },
    async contents(id) {
      const [, , sizeBytes] = (await ask(`contents ${id}`)).split(' ')
      if (sizeBytes === undefined) throw new Error(`git has no object ${id}`)
      const contents = await responses.exactly(Number(sizeBytes))
      await responses.exactly(1) // the line end behind it
      return contents
    },
    close: () => killGroup(child),
  }
}

function readResponses(stream: NodeJS.ReadableStream) {
  let held: Buffer = Buffer.alloc(0)
  const chunks = stream[Symbol.asyncIterator]()

  async function nextChunk(): Promise<Buffer> {
    const next = await chunks.next()
    if (next.done) throw new Error('git cat-file ended too early')
    return next.value as Buffer
  }
  function take(sizeBytes: number): Buffer {
    const taken = held.subarray(0, sizeBytes)
    held = held.subarray(sizeBytes)
    return taken
  }
  return {
    async until(byte: number): Promise<Buffer> {
      while (!held.includes(byte)) held = Buffer.concat([held, await nextChunk()])
      const line = take(held.indexOf(byte))
      take(1)
      return line
    },
    /** Put together once: adding each chunk to all before it took a minute for 50 MB. */
    async exactly(sizeBytes: number): Promise<Buffer> {
      const parts = [held]
      for (let heldBytes = held.length; heldBytes < sizeBytes; ) {
        const chunk = await nextChunk()
        parts.push(chunk)
        heldBytes += chunk.length
      }
      held = parts.length === 1 ? held : Buffer.concat(parts)
      return take(sizeBytes)
    },
  }
}
