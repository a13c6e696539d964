import { codeName, type Graph, makeTensor, Session, type SessionOptions, StatusError, type Tensor } from '../../../main/client/index.ts';
