import { loadPublicUrlConfig } from '../../platform/config.ts'
import { type CommandGroup, defineCommand } from '../command-line.ts'
import { formatFirstOwnerUrl } from '../processes/log-first-owner-link.ts'
import { UsageError } from '../usage-error.ts'
import { firstPage, note, noteIfCut, operator, print, project, withStores } from './admin-io.ts'
import { parseEmail, parseRole } from './option-parsers.ts'

const email = { placeholder: 'EMAIL', description: 'Email address', required: true, parse: parseEmail } as const

export const peopleCommands = {
  'member add': defineCommand({
    summary: 'Add a member to a project',
    description: 'A new member has access only after they accept an invitation to this project.',
    options: {
      project,
      email,
      role: { placeholder: 'ROLE', description: 'owner, editor or viewer', required: true, parse: parseRole },
    },
    run: (options) =>
      withStores(async (stores) => {
        const { id, name } = await stores.projects.get(options.project)
        const member = await stores.members.add(id, { email: options.email, role: options.role }, operator)
        note(`${member.email} is ${member.role} of ${name}.`)
        if (!member.hasJoined) note('They have access once they accept an invitation to this project.')
      }),
  }),

  'member list': defineCommand({
    summary: 'List the members of a project: ID, role, joined or not, creation time, email address',
    options: { project },
    run: (options) =>
      withStores(async (stores) => {
        await stores.projects.get(options.project)
        for (const member of noteIfCut(await stores.members.list(options.project, firstPage))) {
          const state = member.hasJoined ? 'joined' : 'not joined'
          print(`${member.id}  ${member.role}  ${state}  ${member.createdAt.toISOString()}  ${member.email}`)
        }
      }),
  }),

  'owner-link create': defineCommand({
    summary: 'Create a one-time link for the first owner, while the instance has no operator',
    options: {},
    async run() {
      const { publicUrl } = loadPublicUrlConfig()
      await withStores(async ({ people }) => {
        if (await people.hasOperator())
          throw new UsageError(
            'This instance already has an operator. To add another, run: colophon-server admin operator add --email EMAIL',
          )
        note('Link for the first owner. It works once, within 24 hours:')
        print(formatFirstOwnerUrl(publicUrl, await people.createFirstOwnerToken()))
      })
    },
  }),

  'operator add': defineCommand({
    summary: 'Make a person who has an account an operator of the instance',
    options: { email },
    run: (options) =>
      withStores(async ({ people }) => {
        await people.makeOperator(options.email)
        note(`${options.email} is an operator of this instance.`)
      }),
  }),

  'operator list': defineCommand({
    summary: 'List the operators of the instance: ID, email address, name',
    options: {},
    run: () =>
      withStores(async ({ people }) => {
        for (const person of await people.listOperators()) print(`${person.id}  ${person.email}  ${person.name}`)
      }),
  }),

  'password-link create': defineCommand({
    summary: 'Create a one-time link for setting a new password',
    options: { email },
    async run(options) {
      const { publicUrl } = loadPublicUrlConfig()
      await withStores(async ({ people }) => {
        const token = await people.createPasswordResetToken(options.email)
        note(`Link to set a new password for ${options.email}. It works once, within 24 hours:`)
        print(`${publicUrl}/new-password#${token}`)
      })
    },
  }),
} satisfies CommandGroup['commands']
