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
      withStores(async ({ accounts }) => {
        await accounts.setOperator(await accounts.findIdByEmail(options.email), true, operator)
        note(`${options.email} is an operator of this instance.`)
      }),
  }),

  'operator revoke': defineCommand({
    summary: 'Take the operator right away from a person',
    options: { email },
    run: (options) =>
      withStores(async ({ accounts }) => {
        await accounts.setOperator(await accounts.findIdByEmail(options.email), false, operator)
        note(`${options.email} is not an operator of this instance. Their roles in projects are unchanged.`)
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

  'person list': defineCommand({
    summary: 'List the people of the instance: ID, state, projects, creation time, email address, name',
    options: {},
    run: () =>
      withStores(async ({ accounts }) => {
        for (const person of noteIfCut(await accounts.list(firstPage))) {
          const state = person.disabledAt ? 'disabled' : person.isOperator ? 'operator' : 'active'
          const created = person.createdAt.toISOString()
          print(`${person.id}  ${state}  ${person.projectCount} projects  ${created}  ${person.email}  ${person.name}`)
        }
      }),
  }),

  'person created': defineCommand({
    summary: 'List what a person created, which is revoked when they are disabled: project, kind, ID, name',
    options: { email },
    run: (options) =>
      withStores(async ({ accounts }) => {
        for (const access of await accounts.listCreatedAccess(await accounts.findIdByEmail(options.email)))
          print(
            `${access.projectId}  ${access.kind}  ${access.id}  ${access.kind === 'invitation' ? access.email : access.name}`,
          )
      }),
  }),

  'person disable': defineCommand({
    summary: 'Keep a person from signing in, end their sessions, and revoke what they created',
    description: 'Revokes their API keys, runners and invitations in all projects. To keep some, use the dashboard.',
    options: { email },
    run: (options) =>
      withStores(async ({ accounts }) => {
        const { soleOwnerOf } = await accounts.disable(await accounts.findIdByEmail(options.email), operator)
        note(`${options.email} is disabled, and what they created is revoked.`)
        if (soleOwnerOf.length > 0)
          note(`These projects have no other owner: ${soleOwnerOf.map(({ id, name }) => `${name} (${id})`).join(', ')}`)
      }),
  }),

  'person enable': defineCommand({
    summary: 'Let a disabled person sign in again',
    options: { email },
    run: (options) =>
      withStores(async ({ accounts }) => {
        await accounts.enable(await accounts.findIdByEmail(options.email), operator)
        note(`${options.email} can sign in again. What was revoked stays revoked.`)
      }),
  }),

  'person delete': defineCommand({
    summary: 'Delete a person, and revoke what they created',
    description: 'Audit entries stay. In them, the email address is replaced by the ID of the person.',
    options: {
      email,
      'new-owner': {
        placeholder: 'EMAIL',
        description: 'Person who becomes owner of projects that have no other owner',
        parse: parseEmail,
      },
    },
    run: (options) =>
      withStores(async ({ accounts }) => {
        const newOwner = options['new-owner']
        const newOwnerId = newOwner === undefined ? undefined : await accounts.findIdByEmail(newOwner)
        const { id } = await accounts.delete(await accounts.findIdByEmail(options.email), operator, newOwnerId)
        note(`${options.email} is deleted. Audit entries name them as ${id}.`)
      }),
  }),

  'sessions end': defineCommand({
    summary: 'End all sessions of a person',
    options: { email },
    run: (options) =>
      withStores(async ({ accounts }) => {
        const ended = await accounts.endSessions(await accounts.findIdByEmail(options.email), operator)
        note(`${ended} sessions of ${options.email} have ended.`)
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

  'second-factor remove': defineCommand({
    summary: 'Remove the authenticator app and the passkeys of a person who lost them, and end their sessions',
    options: { email },
    run: (options) =>
      withStores(async ({ people }) => {
        await people.removeSecondFactor(options.email)
        note(`${options.email} signs in with the password only, until they set up a second factor again.`)
      }),
  }),
} satisfies CommandGroup['commands']
