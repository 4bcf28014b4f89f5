/** What identity accepts. Unknown members are kept with the record where the API says so. */
import { IsBoolean, IsIn, IsString, Length, MaxLength, MinLength } from 'class-validator';
import { All, AnyOf, Json, ListOf, MapOf, Nested, Nullable, Optional, Pattern, Secret } from '@fractus/dto-schema';

const Id = (): PropertyDecorator => All(IsString(), Length(1, 64));
const Name64 = (): PropertyDecorator => All(IsString(), Length(1, 64), Pattern('\\S'));
const Name255 = (): PropertyDecorator => All(IsString(), Length(1, 255), Pattern('\\S'));
const Text = (): PropertyDecorator => All(Optional(), Nullable(), IsString(), MaxLength(4096));
const Flag = (): PropertyDecorator => All(Optional(), IsBoolean());
const Tags = (): PropertyDecorator =>
  All(Optional(), ListOf([IsString(), Length(1, 255), Pattern('^[^,/]*$')], { max: 80, unique: true }));
/** Hashing reads the whole of it: bounded. */
const SecretText = (): PropertyDecorator => All(IsString(), MaxLength(4096), Secret());

export class DomainRef {
  @Optional() @IsString() @MaxLength(255) id?: string;
  @Optional() @IsString() @MaxLength(255) name?: string;
}
export class EntityRef {
  @Optional() @IsString() @MaxLength(255) id?: string;
  @Optional() @IsString() @MaxLength(255) name?: string;
  @Optional() @Nested(() => DomainRef) domain?: DomainRef;
}
export class PasswordUser extends EntityRef {
  @SecretText() password: string;
}
export class PasswordMethod {
  @Nested(() => PasswordUser) user: PasswordUser;
}
export class TokenMethod {
  @IsString() @Length(1, 16384) @Secret() id: string;
}
export class CredentialMethod {
  @Optional() @IsString() @MaxLength(64) id?: string;
  @Optional() @IsString() @MaxLength(255) name?: string;
  @SecretText() secret: string;
  @Optional() @Nested(() => EntityRef) user?: EntityRef;
}
export class AuthIdentity {
  @ListOf([IsString(), MaxLength(64)], { min: 1, max: 10 }) methods: string[];
  @Optional() @Nested(() => PasswordMethod) password?: PasswordMethod;
  @Optional() @Nested(() => TokenMethod) token?: TokenMethod;
  @Optional() @Nested(() => CredentialMethod) application_credential?: CredentialMethod;
}
export class SystemScope {
  @Optional() @IsBoolean() all?: boolean;
}
export class AuthScope {
  @Optional() @Nested(() => EntityRef) project?: EntityRef;
  @Optional() @Nested(() => DomainRef) domain?: DomainRef;
  @Optional() @Nested(() => SystemScope) system?: SystemScope;
  @Optional() @Json({ type: 'object' }) unscoped?: object;
}
export class Auth {
  @Nested(() => AuthIdentity) identity: AuthIdentity;
  @Optional() @AnyOf([IsIn(['unscoped'])], () => AuthScope) scope?: 'unscoped' | AuthScope;
}

class DomainFields {
  @Text() description?: string | null;
  @Flag() enabled?: boolean;
  @Tags() tags?: string[];
}
export class DomainChange extends DomainFields {
  @Optional() @Name64() name?: string;
}
export class NewDomain extends DomainFields {
  @Name64() name: string;
}

class ProjectFields {
  @Text() description?: string | null;
  @Flag() enabled?: boolean;
  @Tags() tags?: string[];
}
export class ProjectChange extends ProjectFields {
  @Optional() @Name64() name?: string;
}
export class NewProject extends ProjectFields {
  @Name64() name: string;
  @Optional() @Nullable() @Id() domain_id?: string | null;
  @Optional() @Nullable() @Id() parent_id?: string | null;
  @Optional() @IsIn([false]) is_domain?: false;
}

class UserFields {
  @Optional() @Nullable() @Id() default_project_id?: string | null;
  @Text() description?: string | null;
  @Optional() @Nullable() @IsString() @MaxLength(255) email?: string | null;
  @Flag() enabled?: boolean;
  @Optional() @Nullable() @SecretText() password?: string | null;
}
export class UserChange extends UserFields {
  @Optional() @Name255() name?: string;
}
export class NewUser extends UserFields {
  @Name255() name: string;
  @Optional() @Nullable() @Id() domain_id?: string | null;
}
export class PasswordChange {
  @IsString() @MinLength(1) @MaxLength(4096) @Secret() password: string;
  @SecretText() original_password: string;
}

class GroupFields {
  @Text() description?: string | null;
}
export class GroupChange extends GroupFields {
  @Optional() @Name64() name?: string;
}
export class NewGroup extends GroupFields {
  @Name64() name: string;
  @Optional() @Nullable() @Id() domain_id?: string | null;
}

class RoleFields {
  @Text() description?: string | null;
}
export class RoleChange extends RoleFields {
  @Optional() @Name255() name?: string;
}
export class NewRole extends RoleFields {
  @Name255() name: string;
  @Optional() @Nullable() @Id() domain_id?: string | null;
}

class ServiceFields {
  @Optional() @Nullable() @IsString() @MaxLength(255) name?: string | null;
  @Text() description?: string | null;
  @Flag() enabled?: boolean;
}
export class ServiceChange extends ServiceFields {
  @Optional() @Name255() type?: string;
}
export class NewService extends ServiceFields {
  @Name255() type: string;
}

export class RegionChange {
  @Text() description?: string | null;
  @Optional() @Nullable() @IsString() @Length(1, 255) parent_region_id?: string | null;
}
export class NewRegion extends RegionChange {
  @Optional() @IsString() @Length(1, 255) id?: string;
}

const Url = (): PropertyDecorator => All(IsString(), Length(1, 2048), Pattern('^[a-zA-Z][a-zA-Z0-9+.-]*://\\S+$'));
class EndpointFields {
  @Optional() @Nullable() @IsString() @Length(1, 255) region_id?: string | null;
  @Optional() @Nullable() @IsString() @Length(1, 255) region?: string | null;
  @Flag() enabled?: boolean;
}
export class EndpointChange extends EndpointFields {
  @Optional() @Id() service_id?: string;
  @Optional() @IsIn(['public', 'internal', 'admin']) interface?: string;
  @Optional() @Url() url?: string;
}
export class NewEndpoint extends EndpointFields {
  @Id() service_id: string;
  @IsIn(['public', 'internal', 'admin']) interface: string;
  @Url() url: string;
}

export class RoleRef {
  @Optional() @IsString() @MaxLength(64) id?: string;
  @Optional() @IsString() @MaxLength(255) name?: string;
}
export class NewApplicationCredential {
  @Name255() name: string;
  @Text() description?: string | null;
  @Optional() @Nullable() @IsString() @Length(1, 4096) @Secret() secret?: string | null;
  @Optional() @Nullable() @IsString() @MaxLength(64) expires_at?: string | null;
  @Optional() @IsBoolean() unrestricted?: boolean;
  @Optional() @ListOf(() => RoleRef, { max: 100 }) roles?: RoleRef[];
  @Optional() @ListOf([MapOf('string')], { max: 100 }) access_rules?: Record<string, string>[];
}
