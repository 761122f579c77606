import Type from 'typebox'
import { emailPattern } from '../../people/email.ts'
import { linkTokenPattern } from '../../people/link-token.ts'
import { maxPasswordCharacters, minPasswordCharacters } from '../../people/passwords.ts'
import { OneLine } from '../schemas.ts'

export const PersonName = OneLine({ minLength: 1, maxLength: 100 })
export const Email = Type.String({ pattern: emailPattern, maxLength: 254 })
/** Of somebody who signs in: what it may be is nobody's business here. */
export const AnyPassword = Type.String({ minLength: 1, maxLength: maxPasswordCharacters })
export const NewPassword = Type.String({ minLength: minPasswordCharacters, maxLength: maxPasswordCharacters })
export const LinkToken = Type.String({ pattern: linkTokenPattern, description: 'What stands behind `#` in the link.' })

export const exampleToken = 'wN3pT0vQkz7m1sYbXc5dLh2gRj8aFu4eKo6iZtP9WqE'
