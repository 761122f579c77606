import Type from 'typebox'
import { emailPattern } from '../../people/email.ts'
import { linkTokenPattern } from '../../people/link-token.ts'
import { maxPasswordCharacters, minPasswordCharacters } from '../../people/passwords.ts'
import { SingleLineText } from '../schemas.ts'

export const PersonName = SingleLineText({ minLength: 1, maxLength: 100, description: 'Display name of the person.' })
export const Email = Type.String({
  pattern: emailPattern,
  maxLength: 254,
  description: 'Email address of the person.',
})
/** A password that was set before. The rules for new passwords do not apply to it. */
export const CurrentPassword = Type.String({
  minLength: 1,
  maxLength: maxPasswordCharacters,
  description: 'Current password of the person.',
})
export const NewPassword = Type.String({
  minLength: minPasswordCharacters,
  maxLength: maxPasswordCharacters,
  description:
    `Password to set, of ${minPasswordCharacters} to ${maxPasswordCharacters} characters. Common passwords are rejected, ` +
    "and those that consist mostly of the person's name or email address.",
})
export const LinkToken = Type.String({
  pattern: linkTokenPattern,
  description: 'Token of the link: the part after `#`.',
})

export const exampleLinkToken = 'wN3pT0vQkz7m1sYbXc5dLh2gRj8aFu4eKo6iZtP9WqE'
