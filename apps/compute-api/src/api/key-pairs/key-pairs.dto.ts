import { IsIn, IsString, Length } from 'class-validator';
import { All, Closed, Format, InVersions, Nested, Optional, Pattern, Since } from '@fractus/dto-schema';
import { LimitParameter, TextParameter } from '../paging-rules';

/** 2.0 takes any name; later ones letters, digits, `_`, `-` and spaces, from 2.92 on also `@` and dots. */
const KeyPairName = (): PropertyDecorator =>
  All(
    Length(1, 255),
    InVersions('-2.0', Format('name_with_leading_trailing_spaces')),
    InVersions('2.1-', Format('name')),
    InVersions('2.1-2.91', Pattern('^[_\\- a-zA-Z0-9]+$')),
    InVersions('2.92-', Pattern('^[_\\-\\@\\. a-zA-Z0-9]+$')),
  );

@Closed()
export class NewKeyPairBody {
  @KeyPairName() name: string;
  @Optional() @Since('2.2') @IsString() @IsIn(['ssh', 'x509']) type?: 'ssh' | 'x509';
  /** Without it the pair is made here and the private half is handed out once; no more since 2.92. */
  @InVersions('-2.91', Optional()) @IsString() public_key?: string;
  @Optional() @Since('2.10') @IsString() user_id?: string;
}

@Closed()
export class CreateKeyPairDto {
  @Nested(() => NewKeyPairBody) keypair: NewKeyPairBody;
}

@Closed('2.75-')
export class KeyPairQuery {
  /** Whose key pairs; operators only, by policy. */
  @Since('2.10') @TextParameter() user_id?: string[];
}

@Closed('2.75-')
export class ListKeyPairsQuery extends KeyPairQuery {
  @Since('2.35') @LimitParameter() limit?: string[];
  @Since('2.35') @TextParameter() marker?: string[];
}
