import { type CommandGroup, defineCommand } from '../command-line.ts'
import { readClientListUpdate, updateClientList } from '../use-cases/update-client-list.ts'
import { note, print } from './admin-io.ts'
import { createTextParser } from './option-parsers.ts'

const clientListFile = {
  placeholder: 'PATH',
  description: 'The newer client list, a JSON file',
  required: true,
  parse: createTextParser(4_096),
} as const

export const clientListCommands = {
  'client-list compare': defineCommand({
    summary: 'Show what a newer client list would change',
    options: { file: clientListFile },
    async run({ file }) {
      for (const line of readClientListUpdate(file).difference) print(line)
    },
  }),

  'client-list update': defineCommand({
    summary: 'Replace the client list of a checkout with a newer one',
    description: 'Use it in a checkout, then build the image from that. It prints the same changes as compare.',
    options: { file: clientListFile },
    async run({ file }) {
      const { list, difference } = readClientListUpdate(file)
      for (const line of difference) print(line)
      updateClientList(list)
      note(`The client list is updated to version ${list.version}. Format it with \`npm run fix\`, and commit it.`)
      note('Running processes use their old list until they are restarted.')
    },
  }),
} satisfies CommandGroup['commands']
