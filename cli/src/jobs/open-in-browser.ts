/** Opens a URL in the browser of the person, if there is one. */
import { spawn } from 'node:child_process'
import type { Environment } from '../program/command-context.ts'

/** Without a shell, because the URL comes from the server. */
function browserCommand(platform: NodeJS.Platform, { DISPLAY, WAYLAND_DISPLAY }: Environment): string[] | undefined {
  if (platform === 'darwin') return ['open']
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  return DISPLAY || WAYLAND_DISPLAY ? ['xdg-open'] : undefined
}

/** Whether a browser was started. */
export const openInBrowser = (url: string, environment: Environment): Promise<boolean> =>
  new Promise((resolve) => {
    const [file, ...args] = browserCommand(process.platform, environment) ?? []
    if (file === undefined || !/^https?:\/\//.test(url)) {
      resolve(false)
      return
    }
    const program = spawn(file, [...args, url], { stdio: 'ignore', detached: true })
    program.on('error', () => resolve(false))
    program.on('spawn', () => {
      program.unref()
      resolve(true)
    })
  })
